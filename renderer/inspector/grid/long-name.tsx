/**
 * A name that may be longer than its column. Paths of one tree begin alike and differ at their ends, so a path is cut at
 * its beginning; any other name at its end. The text stays one piece, for search, copy and screen readers.
 */
export function LongName({ name }: { readonly name: string | undefined }) {
  if (name === undefined || !/[/\\]/.test(name)) return <span title={name}>{name}</span>;
  return (
    <span className="path" title={name}>
      <bdi>{name}</bdi>
    </span>
  );
}

/**
 * A name that may be wider than its column. A path is truncated at its start, because paths of one folder differ at their
 * ends; any other name is truncated at its end. CSS does it, so that search, copy and screen readers get the whole text.
 */
export function LongName({ name }: { readonly name: string | undefined }) {
  if (name === undefined || !/[/\\]/.test(name)) return <span title={name}>{name}</span>;
  return (
    <span className="path" title={name}>
      <bdi>{name}</bdi>
    </span>
  );
}

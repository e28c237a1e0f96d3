import { useEffect, useState } from 'react';
import type { FolderIndexStatus } from '../shared/bridge.ts';
import { pathParts } from './format.ts';

const SHOWN = 4;
/** From here on the list shows how long the file takes. */
const SLOW_MS = 2000;

/** The files that are being read. It always has the height of four lines, so that nothing below moves. */
export function Reading({ status }: { readonly status: FolderIndexStatus }) {
  const now = useNow(status.reading.length > 0);
  return (
    <section className="reading" aria-labelledby="reading-title">
      <h2 id="reading-title">Reading now</h2>
      {status.reading.length === 0 ? (
        <p className="reading-none">{EMPTY[status.phase]}</p>
      ) : (
        <ul>
          {status.reading.slice(0, SHOWN).map(({ path, since }) => {
            const { name, above } = pathParts(path, status.folder);
            const taken = now - since;
            return (
              <li key={`${path} ${since}`} title={path}>
                <span className="file-name">{name}</span>
                <span className="file-above">{above}</span>
                {taken >= SLOW_MS && <span className="numbers file-taken">{Math.floor(taken / 1000)} s</span>}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

const EMPTY: Record<FolderIndexStatus['phase'], string> = {
  walking: 'No file yet.',
  indexing: 'No file at the moment. Failed files are retried in a few seconds.',
  paused: 'Indexing is paused. Resume to continue.',
  done: 'All files have been read.',
};

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}

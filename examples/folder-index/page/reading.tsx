import { useEffect, useState } from 'react';
import type { FolderIndexStatus } from '../main/contract.ts';
import { pathParts } from './format.ts';

const SHOWN = 4;
/** A file that takes longer than this is worth saying so. */
const SLOW_MS = 2000;

/** What is being read right now. Its four lines are always there, so that nothing below moves. */
export function Reading({ status }: { readonly status: FolderIndexStatus }) {
  const now = useNow(status.reading.length > 0);
  return (
    <section className="reading" aria-labelledby="reading-title">
      <h2 id="reading-title">Reading now</h2>
      {status.reading.length === 0 ? (
        <p className="reading-none">{NOTHING[status.phase]}</p>
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

const NOTHING: Record<FolderIndexStatus['phase'], string> = {
  walking: 'Nothing yet.',
  indexing: 'Nothing just now: what failed is tried again in a moment.',
  paused: 'Nothing while paused. Resume goes on where it stopped.',
  done: 'Nothing left to read.',
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

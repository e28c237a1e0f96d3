import { type ReactNode, useEffect, useState } from 'react';
import type { FolderIndexBridge, FolderIndexStatus } from '../shared/bridge.ts';
import { folderName, headline, megabytes, number, perSecond, progress, tally } from './format.ts';
import { DoneIcon, FolderIcon } from './icons.tsx';
import { Reading } from './reading.tsx';

export function FolderIndexPage({ bridge }: { readonly bridge: FolderIndexBridge }) {
  const status = useStatus(bridge);
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = (act: () => Promise<void>) => () => {
    setProblem(null);
    act().catch((error) => setProblem(error instanceof Error ? error.message : String(error)));
  };
  if (status === null) return <main className="window" aria-busy="true" />;
  const { folder, phase, failed, paused } = status;
  return (
    <main className="window" data-phase={phase}>
      <header className="folder">
        <FolderIcon />
        <div className="folder-text">
          <h1>{folderName(folder)}</h1>
          <p className="folder-path" title={folder}>
            {folder}
          </p>
        </div>
      </header>
      <Progress status={status} />
      <dl className="figures">
        <Figure name="Files per second">{perSecond(phase === 'done' ? 0 : status.filesPerSecond)}</Figure>
        <Figure name="Read">{megabytes(status.bytes)}</Figure>
        <Figure name="Failed" isBad={failed > 0}>
          {number(failed)}
        </Figure>
      </dl>
      <Reading status={status} />
      {problem !== null && (
        <p className="problem" role="alert">
          The action failed. {problem}
        </p>
      )}
      <footer className="buttons">
        {phase !== 'done' && (
          <button
            type="button"
            className="main-button"
            onClick={attempt(paused ? bridge.resume : bridge.pause)}
          >
            {paused ? 'Resume' : 'Pause'}
          </button>
        )}
        <button type="button" className="jobs" onClick={attempt(bridge.openInspector)}>
          Background jobs…
        </button>
      </footer>
    </main>
  );
}

function Progress({ status }: { readonly status: FolderIndexStatus }) {
  const share = progress(status);
  const percent = Math.floor(share * 100);
  return (
    <section className="progress" aria-label="Progress">
      <div className="progress-line">
        <h2 aria-live="polite">
          {status.phase === 'done' && <DoneIcon />}
          {headline(status)}
        </h2>
        <span className="numbers">{percent} %</span>
      </div>
      <div
        className="progress-bar"
        role="progressbar"
        aria-label="Files indexed"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={tally(status)}
      >
        <div className="progress-done" style={{ transform: `scaleX(${share})` }} />
      </div>
      <p className="numbers tally">{tally(status)}</p>
    </section>
  );
}

function Figure(props: { readonly name: string; readonly isBad?: boolean; readonly children: ReactNode }) {
  return (
    <div className="figure" data-bad={props.isBad || undefined}>
      <dt>{props.name}</dt>
      <dd className="numbers">{props.children}</dd>
    </div>
  );
}

function useStatus(bridge: FolderIndexBridge): FolderIndexStatus | null {
  const [status, setStatus] = useState<FolderIndexStatus | null>(null);
  useEffect(() => {
    let isNewer = false;
    const stop = bridge.onStatus((pushed) => {
      isNewer = true;
      setStatus(pushed);
    });
    bridge.status().then(
      (first) => {
        if (!isNewer) setStatus(first);
      },
      // The next change brings a status.
      () => {},
    );
    return stop;
  }, [bridge]);
  return status;
}

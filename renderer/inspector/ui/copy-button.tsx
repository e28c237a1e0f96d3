import { useEffect, useState } from 'react';
import { useServices } from '../data/services.ts';
import { copyText } from './copy-text.ts';

/** How long the result replaces the label. */
const RESULT_MS = 2000;

interface Props {
  readonly text: string;
  readonly label: string;
  /** Names what is copied, for screen readers. */
  readonly what: string;
}

export function CopyButton({ text, label, what }: Props) {
  const { announcer } = useServices();
  const [result, setResult] = useState<string | null>(null);
  useEffect(() => {
    if (result === null) return undefined;
    const timer = setTimeout(() => setResult(null), RESULT_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = async () => {
    const isCopied = await copyText(text);
    setResult(isCopied ? 'Copied' : 'Not copied');
    announcer.announce(isCopied ? `Copied ${what}` : 'Could not copy. Select the text and copy it.');
  };
  return (
    <button type="button" className="small copy" aria-label={`${label} ${what}`} onClick={() => void copy()}>
      {result ?? label}
    </button>
  );
}

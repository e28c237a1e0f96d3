import { useEffect, useState } from 'react';
import { useServices } from '../data/services.ts';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 2000;

interface Props {
  readonly text: string;
  readonly label: string;
  /** What is copied, for people who hear it. */
  readonly what: string;
}

export function CopyButton({ text, label, what }: Props) {
  const { announcer } = useServices();
  const [result, setResult] = useState<string | null>(null);
  useEffect(() => {
    if (result === null) return undefined;
    const timer = setTimeout(() => setResult(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = async () => {
    const isCopied = await copyText(text);
    setResult(isCopied ? 'Copied' : 'Not allowed');
    announcer.announce(
      isCopied ? `Copied ${what}` : 'Copying is not allowed here: select the text and copy it',
    );
  };
  return (
    <button type="button" className="small copy" aria-label={`${label} ${what}`} onClick={() => void copy()}>
      {result ?? label}
    </button>
  );
}

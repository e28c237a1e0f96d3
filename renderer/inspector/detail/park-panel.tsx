import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTicking } from '../data/hooks.ts';
import { clockTime } from '../ui/format.ts';
import { MovedNote, type PanelProps, usePauseWhileOpen } from './panel.tsx';

const MINUTE = 60_000;
const PRESETS = [
  ['1 min', MINUTE],
  ['10 min', 10 * MINUTE],
  ['1 h', 60 * MINUTE],
] as const;
const UNITS = [
  ['seconds', 1000],
  ['minutes', MINUTE],
  ['hours', 60 * MINUTE],
  ['days', 1440 * MINUTE],
] as const;

/** Hides the message's group for a while. */
export function ParkPanel({ basis, isBusy, hasMoved, onRun, onCancel }: PanelProps) {
  usePauseWhileOpen();
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const [amount, setAmount] = useState('5');
  const [unit, setUnit] = useState<number>(MINUTE);
  const delayMs = Math.round(Number(amount) * unit);
  const isSound = amount.trim() !== '' && Number.isFinite(delayMs) && delayMs > 0;
  const ends = useTicking((now) => (isSound ? `until ${clockTime(now + delayMs, now)}` : 'a number above 0'));

  const park = (delay: number) => onRun({ kind: 'park', fence: basis.fence, delayMs: delay });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSound && !isBusy) park(delayMs);
  };

  return (
    <form className="ask" onSubmit={submit} aria-label="Park">
      <p>
        Hide group <b>{basis.groupId}</b> from workers for
      </p>
      <MovedNote hasMoved={hasMoved} />
      <div className="ask-buttons">
        {PRESETS.map(([name, delay], at) => (
          <button
            key={name}
            ref={at === 0 ? first : undefined}
            type="button"
            aria-disabled={isBusy || undefined}
            onClick={() => park(delay)}
          >
            {name}
          </button>
        ))}
      </div>
      <div className="custom">
        <input
          type="text"
          inputMode="decimal"
          aria-label="How long"
          aria-invalid={!isSound}
          aria-describedby="park-ends"
          className="amount"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <select aria-label="Unit" value={unit} onChange={(event) => setUnit(Number(event.target.value))}>
          {UNITS.map(([name, ms]) => (
            <option key={name} value={ms}>
              {name}
            </option>
          ))}
        </select>
        <button type="submit" aria-disabled={!isSound || isBusy || undefined}>
          Park
        </button>
        <span id="park-ends" className="quiet-text time">
          {ends}
        </span>
      </div>
      <div className="ask-buttons">
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

import { type FormEvent, useState } from 'react';
import { useTicking } from '../data/hooks.ts';
import { focusOnMount } from '../ui/focus-on-mount.ts';
import { formatClockTime, formatGroup } from '../ui/format.ts';
import { Select } from '../ui/select.tsx';
import type { PanelProps } from './panel-props.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const PRESETS = [
  [MINUTE, '1 min'],
  [10 * MINUTE, '10 min'],
  [HOUR, '1 h'],
] as const;
const UNITS: readonly (readonly [number, string])[] = [
  [SECOND, 'seconds'],
  [MINUTE, 'minutes'],
  [HOUR, 'hours'],
  [24 * HOUR, 'days'],
];

/** Asks for how long the message's group is parked. */
export function ParkPanel({ message, isBusy, onRun, onCancel }: PanelProps) {
  const [amount, setAmount] = useState('5');
  const [unit, setUnit] = useState(MINUTE);
  const customMs = Math.round(Number(amount) * unit);
  const isValid = amount.trim() !== '' && Number.isFinite(customMs) && customMs > 0;
  const end = useTicking((now) =>
    isValid ? `until ${formatClockTime(now + customMs, now)}` : 'Enter a number above 0',
  );

  const park = (delayMs: number) => onRun({ kind: 'park', fence: message.fence, delayMs });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid) park(customMs);
  };

  return (
    <form className="operation-form" onSubmit={submit} aria-label="Park">
      <p>
        Hide group <b>{formatGroup(message.groupId)}</b> from workers for
      </p>
      <div className="form-row">
        {PRESETS.map(([delayMs, text], index) => (
          <button
            key={delayMs}
            ref={index === 0 ? focusOnMount : undefined}
            type="button"
            aria-disabled={isBusy || undefined}
            onClick={() => park(delayMs)}
          >
            {text}
          </button>
        ))}
      </div>
      <div className="form-row">
        <input
          type="text"
          inputMode="decimal"
          aria-label="Duration"
          aria-invalid={!isValid}
          aria-describedby="park-end"
          className="amount"
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Select aria-label="Unit" value={unit} options={UNITS} onChange={setUnit} />
        <button type="submit" aria-disabled={!isValid || isBusy || undefined}>
          Park
        </button>
        <span id="park-end" className="quiet-text time">
          {end}
        </span>
      </div>
      <div className="form-row">
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

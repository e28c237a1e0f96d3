import type { AriaAttributes } from 'react';

interface Props<Value extends string | number> extends Pick<AriaAttributes, 'aria-label'> {
  readonly value: Value;
  /** Values with their texts, in the order of the list. */
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

/** A native select whose values keep their type: `event.target.value` would be a string. */
export function Select<Value extends string | number>({ value, options, onChange, ...aria }: Props<Value>) {
  return (
    <select
      {...aria}
      value={value}
      onChange={(event) => {
        const option = options[event.target.selectedIndex];
        if (option !== undefined) onChange(option[0]);
      }}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  );
}

import type { ReactElement } from 'react';
import { Tooltip as AriaTooltip, Focusable, TooltipTrigger } from 'react-aria-components';

interface Props {
  /** Null shows no tooltip. */
  readonly text: string | null;
  /** A button, link or field. */
  readonly children: ReactElement<Record<string, unknown>, string>;
}

/** A description that appears on hover and on keyboard focus; a `title` attribute appears on hover only. */
export function Tooltip({ text, children }: Props) {
  return (
    <TooltipTrigger isDisabled={text === null} delay={600}>
      <Focusable>{children}</Focusable>
      <AriaTooltip className="tooltip" placement="bottom start" offset={4}>
        {text}
      </AriaTooltip>
    </TooltipTrigger>
  );
}

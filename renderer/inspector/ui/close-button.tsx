import { CloseIcon } from './icons.tsx';

interface Props {
  /** The accessible name: what is closed or removed. */
  readonly label: string;
  readonly title?: string;
  readonly onClick: () => void;
}

export function CloseButton({ label, title, onClick }: Props) {
  return (
    <button type="button" className="icon-button" aria-label={label} title={title} onClick={onClick}>
      <CloseIcon />
    </button>
  );
}

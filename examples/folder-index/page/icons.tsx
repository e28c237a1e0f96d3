export const FolderIcon = () => (
  <svg
    className="folder-icon"
    viewBox="0 0 32 32"
    width="36"
    height="36"
    aria-hidden="true"
    focusable="false"
  >
    <path d="M3 8.5A2.5 2.5 0 0 1 5.5 6h6.2c.7 0 1.3.3 1.8.8L15.6 9h10.9A2.5 2.5 0 0 1 29 11.5v12a2.5 2.5 0 0 1-2.5 2.5h-21A2.5 2.5 0 0 1 3 23.5z" />
    <path className="folder-front" d="M3 13h26v10.5a2.5 2.5 0 0 1-2.5 2.5h-21A2.5 2.5 0 0 1 3 23.5z" />
  </svg>
);

export const DoneIcon = () => (
  <svg className="done-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <circle cx="8" cy="8" r="7" fill="currentColor" />
    <path
      d="m4.8 8.3 2.2 2.2 4.3-4.6"
      fill="none"
      stroke="var(--ground)"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);

import { useSyncExternalStore } from 'react';
import { useServices } from '../data/services.ts';

/** The one live region: what is said here is heard, not seen. */
export function Hush() {
  const { speaker } = useServices();
  const said = useSyncExternalStore(speaker.subscribe, speaker.said);
  return (
    <div className="unseen" role="status" aria-live="polite" aria-label="Announcements">
      {said}
    </div>
  );
}

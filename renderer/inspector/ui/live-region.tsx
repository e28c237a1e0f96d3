import { useSyncExternalStore } from 'react';
import { useServices } from '../data/services.ts';

/** The page's only live region. Screen readers read it; it is not visible. */
export function LiveRegion() {
  const { announcer } = useServices();
  const message = useSyncExternalStore(announcer.subscribe, announcer.message);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label="Announcements">
      {message}
    </div>
  );
}

import { useCallback, useEffect, useState } from 'react';
import { useRoute } from './data/hooks.ts';
import { useServices } from './data/services.ts';
import { focusRows, isTyping } from './keyboard/focus.ts';
import { GroupsPage } from './pages/groups-page.tsx';
import { Header } from './pages/header.tsx';
import { Help } from './pages/help.tsx';
import { MessagesPage } from './pages/messages-page.tsx';
import { LiveRegion } from './ui/live-region.tsx';

export function App() {
  const route = useRoute();
  const [helpOpen, setHelpOpen] = useState(false);
  const showHelp = useCallback(() => setHelpOpen(true), []);
  usePageKeys(showHelp);
  return (
    <>
      <Header route={route} />
      <main className="page">
        {route.page === 'groups' ? (
          <GroupsPage route={route} onHelp={showHelp} />
        ) : (
          <MessagesPage route={route} onHelp={showHelp} />
        )}
      </main>
      {helpOpen && <Help onClose={() => setHelpOpen(false)} />}
      <LiveRegion />
    </>
  );
}

/** Keys that work wherever the focus is, unless text is being typed. */
function usePageKeys(showHelp: () => void): void {
  const { router } = useServices();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('#search');
        search?.focus();
        search?.select();
      } else if (event.key === '?') showHelp();
      else if (event.key === '1' || event.key === '2') {
        router.push(router.lastRoute(event.key === '1' ? 'groups' : 'messages'));
        focusRows();
      } else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [router, showHelp]);
}

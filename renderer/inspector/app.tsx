import { useState } from 'react';
import { useRoute } from './data/hooks.ts';
import { useServices } from './data/services.ts';
import { focusRows } from './keyboard/focus.ts';
import { shortcutOf } from './keyboard/shortcuts.ts';
import { useHotkeys } from './keyboard/use-hotkeys.ts';
import { GroupsPage } from './pages/groups-page.tsx';
import { Header } from './pages/header.tsx';
import { Help } from './pages/help.tsx';
import { MessagesPage } from './pages/messages-page.tsx';
import { LiveRegion } from './ui/live-region.tsx';

export function App() {
  const route = useRoute();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const showHelp = () => setHelpOpen(true);
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
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
      <LiveRegion />
    </>
  );
}

function usePageKeys(showHelp: () => void): void {
  const { router } = useServices();
  useHotkeys((key) => {
    const shortcut = shortcutOf(key);
    switch (shortcut) {
      case 'search': {
        const field = document.querySelector<HTMLInputElement>('#search');
        field?.focus();
        field?.select();
        return true;
      }
      case 'help':
        showHelp();
        return true;
      case 'groups':
      case 'messages':
        router.push(router.lastRoute(shortcut));
        focusRows();
        return true;
      default:
        return false;
    }
  });
}

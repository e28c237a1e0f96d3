/** What every part of the page shares, made once and handed down. */
import { createContext, useContext } from 'react';
import type { InspectorBridge } from '../../../core/contract/admin.ts';
import { Announcer } from '../ui/announcer.ts';
import { ChangeFeed } from './change-feed.ts';
import { PageClock } from './page-clock.ts';
import { RefreshPauser } from './refresh-pauser.ts';
import { Router } from './router.ts';

export interface Shared {
  readonly bridge: InspectorBridge;
  readonly router: Router;
  readonly clock: PageClock;
  readonly pauser: RefreshPauser;
  readonly changeFeed: ChangeFeed;
  readonly announcer: Announcer;
}

export const Services = createContext<Shared | null>(null);

export function startServices(bridge: InspectorBridge): Shared {
  return {
    bridge,
    router: new Router(window),
    clock: new PageClock(),
    pauser: new RefreshPauser(),
    changeFeed: new ChangeFeed(bridge),
    announcer: new Announcer(),
  };
}

export function useServices(): Shared {
  const services = useContext(Services);
  if (services === null) throw new Error('A component that needs the services must stand inside <Services>.');
  return services;
}

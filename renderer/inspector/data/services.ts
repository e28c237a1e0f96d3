/** What all parts of the page share. */
import type { QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { InspectorBridge } from '../../../core/contract/admin.ts';
import { Announcer } from './announcer.ts';
import { ChangeFeed } from './change-feed.ts';
import { PageClock } from './page-clock.ts';
import { createQueryClient } from './reads.ts';
import { RefreshPauser } from './refresh-pauser.ts';
import { Router } from './router.ts';

export interface Services {
  readonly bridge: InspectorBridge;
  readonly router: Router;
  readonly clock: PageClock;
  readonly queryClient: QueryClient;
  readonly changeFeed: ChangeFeed;
  readonly pauser: RefreshPauser;
  readonly announcer: Announcer;
}

export const ServicesContext = createContext<Services | null>(null);

export function startServices(bridge: InspectorBridge): Services {
  const queryClient = createQueryClient();
  return {
    bridge,
    router: new Router(window),
    clock: new PageClock(),
    queryClient,
    changeFeed: new ChangeFeed(queryClient, bridge),
    pauser: new RefreshPauser(),
    announcer: new Announcer(),
  };
}

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === null)
    throw new Error('A component that calls useServices must be inside <ServicesContext>.');
  return services;
}

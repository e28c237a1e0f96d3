/** What every part of the page shares, made once and handed down. */
import { createContext, useContext } from 'react';
import type { InspectorBridge } from '../../../core/contract/admin.ts';
import { Announcer } from '../ui/announcer.ts';
import { Live } from './change-feed.ts';
import { Clock } from './page-clock.ts';
import { Hold } from './refresh-pauser.ts';
import { AddressBar } from './router.ts';

export interface Shared {
  readonly bridge: InspectorBridge;
  readonly address: AddressBar;
  readonly clock: Clock;
  readonly hold: Hold;
  readonly live: Live;
  readonly announcer: Announcer;
}

export const Services = createContext<Shared | null>(null);

export function startServices(bridge: InspectorBridge): Shared {
  return {
    bridge,
    address: new AddressBar(window),
    clock: new Clock(),
    hold: new Hold(),
    live: new Live(bridge),
    announcer: new Announcer(),
  };
}

export function useServices(): Shared {
  const services = useContext(Services);
  if (services === null) throw new Error('A component that needs the services must stand inside <Services>.');
  return services;
}

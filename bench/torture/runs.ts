/** The runs of `npm run torture` by name. Each module is loaded only in the process that runs it. */
import type { Torture } from './torture.ts';

export const RUNS: Readonly<Record<string, () => Promise<Torture>>> = {
  kills: async () => (await import('./kills.ts')).kills,
  faults: async () => (await import('./faults.ts')).faultsAndClocks,
  leaks: async () => (await import('./leaks.ts')).leaks,
  hostile: async () => (await import('./hostile.ts')).hostile,
  power: async () => (await import('./power.ts')).power,
  'power-long-log': async () => (await import('./power.ts')).powerLongLog,
  foreign: async () => (await import('./foreign.ts')).foreign,
  damage: async () => (await import('./damage.ts')).damage,
};

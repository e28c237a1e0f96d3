/** Where a thread's file is: a module's neighbour, with the module's own ending (`.ts` as written, `.js` as built). */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

export function besideModule(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${extname(fileURLToPath(moduleUrl))}`, moduleUrl);
}

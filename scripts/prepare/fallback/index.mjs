// For a machine that cannot reach Electron's download site. Other folders import only this file of the fallback.
export { fallbackElectron, fallbackExecutable, isFallbackSupported } from './cypress-electron.mjs';
export { sqliteBinding } from './rebuilt-addon.mjs';

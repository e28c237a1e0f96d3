import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './base.css';
import './page.css';
import type { FolderIndexBridge } from '../shared/bridge.ts';
import { FolderIndexPage } from './page.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html must hold an element with the id "root".');

const bridge = (window as unknown as { readonly folderIndex?: FolderIndexBridge }).folderIndex;
createRoot(root).render(
  <StrictMode>
    {bridge === undefined ? (
      <main className="no-bridge">This page works only in the Folder Index app.</main>
    ) : (
      <FolderIndexPage bridge={bridge} />
    )}
  </StrictMode>,
);

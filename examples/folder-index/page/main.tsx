import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../../../renderer/inspector/styles/tokens.css';
import '../../../renderer/inspector/styles/base.css';
import './page.css';
import type { FolderIndexBridge } from '../main/contract.ts';
import { FolderIndexPage } from './page.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html must hold an element with the id "root".');

const bridge = (window as unknown as { readonly folderIndex?: FolderIndexBridge }).folderIndex;
createRoot(root).render(
  <StrictMode>
    {bridge === undefined ? (
      <main className="lost">Open this page from Folder Index.</main>
    ) : (
      <FolderIndexPage bridge={bridge} />
    )}
  </StrictMode>,
);

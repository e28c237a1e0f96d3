import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/index.css';
import { App } from './app.tsx';
import { findBridge } from './data/bridge.ts';
import { Services, startServices } from './data/services.ts';
import { NotConnected } from './ui/not-connected.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html must hold an element with the id "root".');

const bridge = findBridge();
createRoot(root).render(
  <StrictMode>
    {bridge === null ? (
      <NotConnected />
    ) : (
      <Services value={startServices(bridge)}>
        <App />
      </Services>
    )}
  </StrictMode>,
);

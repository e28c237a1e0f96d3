import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/index.css';
import type { InspectorBridge } from '../../core/contract/admin.ts';
import { App } from './app.tsx';
import { findBridge } from './data/bridge.ts';
import { ServicesContext, startServices } from './data/services.ts';
import { NotConnected } from './ui/not-connected.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html must hold an element with the id "root".');

const bridge = findBridge();
createRoot(root).render(<StrictMode>{bridge === null ? <NotConnected /> : connected(bridge)}</StrictMode>);

function connected(to: InspectorBridge) {
  const services = startServices(to);
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queryClient}>
        <App />
      </QueryClientProvider>
    </ServicesContext>
  );
}

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/controls.css';
import './styles/grid.css';
import './styles/states.css';
import './styles/detail.css';
import './styles/forms.css';
import './styles/json.css';
import './styles/dialog.css';
import './styles/help.css';
import './styles/tooltip.css';
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

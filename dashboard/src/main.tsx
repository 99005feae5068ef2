// Starts the dashboard.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ApiError } from './connection/api.ts';
import { NoticeBoard } from './parts/messages.tsx';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/pages.css';
import { applyTheme } from './theme.ts';

const ATTEMPTS_MAX = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream of events says when something changed.
      staleTime: 30_000,
      // A rejected request is not repeated; a server that does not answer may be starting.
      retry: (failures, error) => failures < ATTEMPTS_MAX && error instanceof ApiError && error.status === 0,
    },
  },
});

applyTheme();
const element = document.getElementById('app');
if (element !== null)
  createRoot(element).render(
    <QueryClientProvider client={client}>
      <NoticeBoard>
        <App />
      </NoticeBoard>
    </QueryClientProvider>,
  );

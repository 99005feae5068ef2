// Lays out graphs in a worker. It is started once, and answers each request with its id.

import { arrange, type Drawing } from './arrange.ts';

self.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly drawing: Drawing }>): void => {
  self.postMessage({ id: data.id, placement: arrange(data.drawing) });
};

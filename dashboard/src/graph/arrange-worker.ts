// Lays out graphs beside the page. It is started once and answers each question with its number.

import { arrange, type Drawing } from './arrange.ts';

self.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly drawing: Drawing }>): void => {
  self.postMessage({ id: data.id, placement: arrange(data.drawing) });
};

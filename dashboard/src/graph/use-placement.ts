// Requests the layout of a graph from the worker. Only the shape of the graph matters, not its state.

import { useEffect, useState } from 'react';
import type { Drawing, Placement } from './arrange.ts';

let worker: Worker | undefined;
let lastId = 0;

/** The layout, once it is computed; each shape is requested once. */
export function usePlacement(drawing: Drawing): Placement | undefined {
  const shape = JSON.stringify(drawing);
  const [placed, setPlaced] = useState<{ readonly shape: string; readonly placement: Placement }>();
  useEffect(() => {
    worker ??= new Worker(new URL('./arrange-worker.ts', import.meta.url), { type: 'module' });
    lastId += 1;
    const id = lastId;
    const current = worker;
    const answered = ({ data }: MessageEvent<{ readonly id: number; readonly placement: Placement }>): void => {
      if (data.id === id) setPlaced({ shape, placement: data.placement });
    };
    current.addEventListener('message', answered);
    current.postMessage({ id, drawing: JSON.parse(shape) as Drawing });
    return () => current.removeEventListener('message', answered);
  }, [shape]);
  return placed?.shape === shape ? placed.placement : undefined;
}

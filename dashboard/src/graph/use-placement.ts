// Owns asking the worker where the steps of a graph lie. Only the shape of a graph matters: its state changes nothing.

import { useEffect, useState } from 'react';
import type { Drawing, Placement } from './arrange.ts';

let worker: Worker | undefined;
let lastId = 0;

/** Where the steps lie, once that is known; the same shape is asked for once. */
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
  // While a new shape is laid out, the former one stays if it has all the steps.
  return placed?.shape === shape ? placed.placement : undefined;
}

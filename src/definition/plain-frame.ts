// Owns the frame of a step about which nothing is said: the one place with its defaults.

import type { StepFrame } from './model.ts';

/** The frame of a step that says nothing about itself, under its own name. */
export function plainFrame(id: string, recovery: StepFrame['recovery']): StepFrame {
  return {
    id,
    title: id,
    actions: [],
    args: {},
    preconditions: [],
    postconditions: [],
    next: {},
    retry: { max: 0, on: ['error'] },
    contractRetries: 1,
    recovery,
    slots: [],
  };
}

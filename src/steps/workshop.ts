// Owns what it takes to do more than call a function: programs, agents, requests, and what is looked at before and after
// them. It is loaded when the first step comes that needs it.

export { sweepOrphans } from '../process/tree.ts';
export { apart } from './isolation.ts';
export { notingTree } from './judged-tree.ts';
export { beforeWork, producing } from './outputs/production.ts';
export { protectedBefore, protecting } from './protection.ts';
export { observeSubjects } from './subjects.ts';

// The same as attended-report.ts under a second name, so that a bundle can have it twice: in one file with the command,
// and in the files that the library is made of.

export { sayTo } from './attended-report.ts';

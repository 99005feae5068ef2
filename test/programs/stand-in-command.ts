// A stand-in for any program: the prompt on its standard input, the reply on its standard output.

import { behaviour, hang, note, readInput, wordsFor } from './stand-in.ts';

note(process.pid);
process.stdout.write(`${await wordsFor(await readInput())}\n`);
if (behaviour.agent === 'lingers') await hang();

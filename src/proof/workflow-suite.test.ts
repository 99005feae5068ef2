import { branching } from '../../examples/patterns/mode.ts';
import { describeWorkflow } from './workflow-suite.ts';

describeWorkflow('a workflow of the examples', branching);

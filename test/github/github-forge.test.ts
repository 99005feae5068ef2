import { describeForge } from '../../src/proof/forge-suite/suite.ts';
import { openGitHubStage } from './stage.ts';

describeForge('github, with a token', () => openGitHubStage());

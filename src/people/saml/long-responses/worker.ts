import { serveThread } from '../../../platform/threads/serve.ts';
import { verifyTask } from './verify.ts';

serveThread(verifyTask);

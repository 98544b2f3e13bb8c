import { serveThread } from '../../../platform/threads/serve.ts';
import { answer } from './work.ts';

serveThread(answer);

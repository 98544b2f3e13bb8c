import { serveThread } from '../../../platform/threads/serve.ts';
import { parseTask } from './work.ts';

serveThread(parseTask);

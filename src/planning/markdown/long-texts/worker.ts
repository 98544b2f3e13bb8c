import { serveThread } from '../../../platform/threads/serve.ts';
import { runTextTask } from './work.ts';

serveThread(runTextTask);

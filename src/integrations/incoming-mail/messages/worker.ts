import { serveThread } from '../../../platform/threads/serve.ts';
import { readMessage } from './message.ts';

serveThread(readMessage);

import { parentPort } from 'node:worker_threads';
import { answer, type Question } from './work.ts';

parentPort?.on('message', (question: Question) => parentPort?.postMessage(answer(question)));

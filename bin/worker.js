import './quick-start.js';

await import('./worker-process.ts');

import { serveThread } from '../../../../platform/threads/serve.ts';
import type { PackedControl } from '../formats/deb.ts';
import { type ControlResult, controlFileIn } from './work.ts';

serveThread<PackedControl, ControlResult>(controlFileIn);

import { join } from 'node:path';
import { conversationsIn } from './support/conversations.ts';

conversationsIn(join(import.meta.dirname, 'conversations'), { TIDEGATE_DISABLE_ADMISSION_PLUGINS: '' });

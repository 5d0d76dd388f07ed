import { join } from 'node:path';
import { conversationsIn } from './support/conversations.ts';

conversationsIn(join(import.meta.dirname, 'conversations/optional'), {
  TIDEGATE_DISABLE_ADMISSION_PLUGINS: '',
  TIDEGATE_ENABLE_ADMISSION_PLUGINS: 'AlwaysPullImages,DenyServiceExternalIPs',
  TIDEGATE_SERVICE_ACCOUNT_MAX_TOKEN_EXPIRATION: '2h',
  TIDEGATE_RUNTIME_CONFIG: 'coordination.k8s.io/v1beta1=true',
});

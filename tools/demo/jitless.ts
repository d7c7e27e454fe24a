/** Imported before any schema is made: zod would compile its checks with `new Function`, which the page's policy refuses. */
import { z } from 'zod';

z.config({ jitless: true });

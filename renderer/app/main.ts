/** The page's entry: connects, then mounts the app. */
import ui from '@nuxt/ui/vue-plugin';
import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { connect } from '../client/connect.js';
import { clientKey } from '../composables/useClient.js';
import App from './App.vue';
import { useSettings } from '../stores/stores.js';
import { router } from './router.js';
import '../styles/main.css';

const client = await connect();
const app = createApp(App).provide(clientKey, client).use(createPinia());
// Language and theme are set before anything is shown; without a connection, they are the system's.
const { loaded } = app.runWithContext(() => useSettings());
await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, 500))]);
app.use(router).use(ui).mount('#app');

/** The page's entry: connects, then mounts the app. */
import ui from '@nuxt/ui/vue-plugin';
import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { connect } from '../client/connect.js';
import { clientKey } from '../composables/useClient.js';
import App from './App.vue';
import { router } from './router.js';
import '../styles/main.css';

const client = await connect();
createApp(App).provide(clientKey, client).use(createPinia()).use(router).use(ui).mount('#app');

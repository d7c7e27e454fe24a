// `npm run payloads`: the same with 1,000 payloads to each channel.
import './electron-checklist.own.test.js';

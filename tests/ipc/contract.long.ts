// `npm run payloads`: the same with 1,000 payloads to each channel.
import './contract.job.test.js';

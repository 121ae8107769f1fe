// An item, query and transaction script through the AWS SDK for JavaScript, against a server that checks signatures.
// Usage: node node_script.mjs FOLDER_OF_THE_SDK URL
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

const require = createRequire(`${process.argv[2]}/`)
const sdk = require('@aws-sdk/client-dynamodb')
const { version } = require('@aws-sdk/client-dynamodb/package.json')

const connect = (accessKeyId, secretAccessKey) =>
  new sdk.DynamoDBClient({
    endpoint: process.argv[3], region: 'us-west-2', maxAttempts: 2, credentials: { accessKeyId, secretAccessKey }
  })
const client = connect('local', 'local')
const send = (name, input) => client.send(new sdk[`${name}Command`](input))
const refused = async (name, call) => {
  const why = await call.then(() => assert.fail(`${name} expected`), (thrown) => thrown)
  assert.equal(why.name, name)
  return why
}

await refused('InvalidSignatureException', connect('local', 'wrong').send(new sdk.ListTablesCommand({})))

const TableName = 'jobs'
await send('CreateTable', {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'queue', AttributeType: 'S' }, { AttributeName: 'at', AttributeType: 'B' }],
  KeySchema: [{ AttributeName: 'queue', KeyType: 'HASH' }, { AttributeName: 'at', KeyType: 'RANGE' }]
})
await sdk.waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName })

const key = (n) => ({ queue: { S: 'q' }, at: { B: Uint8Array.of(n) } })
for (let n = 1; n <= 9; n++) {
  await send('PutItem', { TableName, Item: { ...key(n), tries: { N: `${n}e0` }, labels: { SS: ['a', 'b'] } } })
}
const { Item } = await send('GetItem', { TableName, Key: key(3), ConsistentRead: true })
assert.deepEqual(Item.tries, { N: '3' })

const { Items, ScannedCount } = await send('Query', {
  TableName,
  KeyConditionExpression: 'queue = :q AND #at BETWEEN :a AND :b',
  FilterExpression: 'NOT tries IN (:four, :five)',
  ExpressionAttributeNames: { '#at': 'at' },
  ExpressionAttributeValues: {
    ':q': { S: 'q' }, ':a': { B: Uint8Array.of(2) }, ':b': { B: Uint8Array.of(6) }, ':four': { N: '4' }, ':five': { N: '5' }
  }
})
assert.deepEqual([Items.map((each) => each.tries.N), ScannedCount], [['2', '3', '6'], 5])

let count = 0
for await (const page of sdk.paginateScan({ client, pageSize: 2 }, { TableName })) count += page.Count
assert.equal(count, 9)

const stale = await refused('ConditionalCheckFailedException', send('UpdateItem', {
  TableName,
  Key: key(1),
  UpdateExpression: 'SET tries = tries + :one DELETE labels :a',
  ConditionExpression: 'tries > :one',
  ExpressionAttributeValues: { ':one': { N: '1' }, ':a': { SS: ['a'] } },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD'
}))
assert.deepEqual(stale.Item.labels, { SS: ['a', 'b'] })

await send('TransactWriteItems', {
  TransactItems: [
    { Put: { TableName, Item: key(10), ConditionExpression: 'attribute_not_exists(queue)' } },
    { Delete: { TableName, Key: key(9) } }
  ]
})
const cancelled = await refused('TransactionCanceledException', send('TransactWriteItems', {
  TransactItems: [
    { Put: { TableName, Item: key(10), ConditionExpression: 'attribute_not_exists(queue)' } },
    { Delete: { TableName, Key: key(8) } }
  ]
}))
assert.deepEqual(cancelled.CancellationReasons.map((each) => each.Code), ['ConditionalCheckFailed', 'None'])
const { Responses } = await send('TransactGetItems', {
  TransactItems: [8, 9, 10].map((n) => ({ Get: { TableName, Key: key(n) } }))
})
assert.deepEqual(Responses.map((each) => each.Item !== undefined), [true, false, true])
await send('DeleteTable', { TableName })
console.log(JSON.stringify({ sdk: 'javascript', version, ok: true }))

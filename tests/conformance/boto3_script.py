# An item, query and transaction script through boto3, against a server that checks signatures. Usage: boto3_script.py URL
import json
import sys
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError

url = sys.argv[1]
config = Config(retries={"total_max_attempts": 2})


def connect(**keys):
    return boto3.client("dynamodb", endpoint_url=url, region_name="eu-central-1", config=config, **keys)


def refused(code, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ClientError as why:
        assert why.response["Error"]["Code"] == code, f"{code} expected, not {why}"
        return why.response
    raise AssertionError(f"{code} expected")


keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
client = connect(**keys)
resource = boto3.resource("dynamodb", endpoint_url=url, region_name="eu-central-1", config=config, **keys)

refused("InvalidSignatureException", connect(aws_access_key_id="local", aws_secret_access_key="wrong").list_tables)
refused("UnrecognizedClientException", connect(aws_access_key_id="other", aws_secret_access_key="local").list_tables)

table = resource.create_table(
    TableName="orders",
    KeySchema=[{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "number", "KeyType": "RANGE"}],
    AttributeDefinitions=[
        {"AttributeName": "customer", "AttributeType": "S"},
        {"AttributeName": "number", "AttributeType": "N"},
    ],
    BillingMode="PAY_PER_REQUEST",
)
table.wait_until_exists()
assert table.key_schema[0] == {"AttributeName": "customer", "KeyType": "HASH"}
assert "orders" in client.list_tables()["TableNames"]

# Items.
order = {
    "customer": "Zoë",
    "number": 1,
    "total": Decimal("12.50"),
    "lines": [{"article": "bolt", "count": 3}, None, True],
    "tags": {"new", "paid"},
    "photo": b"\x00\xff",
}
table.put_item(Item=order)
found = table.get_item(Key={"customer": "Zoë", "number": 1}, ConsistentRead=True)
assert found["Item"] == order, found
assert found["ResponseMetadata"]["HTTPHeaders"]["x-amz-crc32"]
updated = table.update_item(
    Key={"customer": "Zoë", "number": 1},
    UpdateExpression="SET #l[0].#c = #l[0].#c + :one, note = if_not_exists(note, :n) REMOVE photo ADD tags :more",
    ExpressionAttributeNames={"#l": "lines", "#c": "count"},
    ExpressionAttributeValues={":one": 1, ":n": "-", ":more": {"sent"}},
    ConditionExpression=Attr("total").between(12, 13) & Attr("tags").contains("paid"),
    ReturnValues="ALL_NEW",
)["Attributes"]
assert updated["lines"][0]["count"] == 4 and updated["tags"] == {"new", "paid", "sent"}, updated
again = refused(
    "ConditionalCheckFailedException",
    client.put_item,
    TableName="orders",
    Item={"customer": {"S": "Zoë"}, "number": {"N": "1"}},
    ConditionExpression="attribute_not_exists(customer)",
    ReturnValuesOnConditionCheckFailure="ALL_OLD",
)
assert again["Item"]["note"] == {"S": "-"}
refused("ValidationException", table.get_item, Key={"customer": "Zoë"})
refused("ResourceNotFoundException", client.get_item, TableName="nothing", Key={"a": {"S": "a"}})

# Batches, queries, scans.
with table.batch_writer() as batch:
    for number in range(2, 41):
        batch.put_item(Item={"customer": "Bob", "number": number, "total": number * 10})
page = table.query(
    KeyConditionExpression=Key("customer").eq("Bob") & Key("number").gt(10),
    FilterExpression=Attr("total").lt(200),
    ScanIndexForward=False,
    Limit=25,
)
assert page["ScannedCount"] == 25 and page["Count"] == 4 and page["LastEvaluatedKey"]["number"] == 16, page
pages = client.get_paginator("query").paginate(
    TableName="orders",
    KeyConditionExpression="customer = :c",
    ExpressionAttributeValues={":c": {"S": "Bob"}},
    PaginationConfig={"PageSize": 7},
)
assert [int(each["number"]["N"]) for one in pages for each in one["Items"]] == list(range(2, 41))
segments = [table.scan(Segment=i, TotalSegments=4)["Count"] for i in range(4)]
assert sum(segments) == 40, segments
got = resource.batch_get_item(RequestItems={"orders": {"Keys": [{"customer": "Bob", "number": n} for n in (2, 3, 99)]}})
assert len(got["Responses"]["orders"]) == 2

# Transactions.
write = {
    "TransactItems": [
        {
            "Update": {
                "TableName": "orders",
                "Key": {"customer": {"S": "Bob"}, "number": {"N": "2"}},
                "UpdateExpression": "ADD #t :x",
                "ExpressionAttributeNames": {"#t": "total"},
                "ExpressionAttributeValues": {":x": {"N": "5"}},
            }
        },
        {"Delete": {"TableName": "orders", "Key": {"customer": {"S": "Bob"}, "number": {"N": "3"}}}},
    ],
    "ClientRequestToken": "once",
}
client.transact_write_items(**write)
client.transact_write_items(**write)
assert table.get_item(Key={"customer": "Bob", "number": 2})["Item"]["total"] == 25
write["TransactItems"].pop()
refused("IdempotentParameterMismatchException", client.transact_write_items, **write)
write["ClientRequestToken"] = "twice"
write["TransactItems"].append(
    {
        "ConditionCheck": {
            "TableName": "orders",
            "Key": {"customer": {"S": "Bob"}, "number": {"N": "3"}},
            "ConditionExpression": "attribute_exists(customer)",
        }
    }
)
cancelled = refused("TransactionCanceledException", client.transact_write_items, **write)
assert [each["Code"] for each in cancelled["CancellationReasons"]] == ["None", "ConditionalCheckFailed"], cancelled
read = client.transact_get_items(
    TransactItems=[
        {"Get": {"TableName": "orders", "Key": {"customer": {"S": "Bob"}, "number": {"N": n}}}} for n in ("2", "3")
    ]
)["Responses"]
assert read[0]["Item"]["total"] == {"N": "25"} and "Item" not in read[1]

client.update_time_to_live(
    TableName="orders", TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"}
)
assert client.describe_time_to_live(TableName="orders")["TimeToLiveDescription"]["AttributeName"] == "expires"
table.put_item(Item={"customer": "old", "number": 1, "expires": 1})
table.delete()
table.wait_until_not_exists()
print(json.dumps({"sdk": "boto3", "version": boto3.__version__, "ok": True}))

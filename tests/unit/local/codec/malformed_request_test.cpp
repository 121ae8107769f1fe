// Requests that are not what they should be, and what the service says of each.
// SPDX-License-Identifier: BSL-1.0
#include "local/codec/server_codec.hpp"

#include <catch2/catch.hpp>

namespace dynalease {

TEST_CASE("the server says of a malformed request whether its JSON or its content is wrong, in the service's words") {
    const auto [operation, body, name, message] = GENERATE(table<std::string, std::string, std::string, std::string>({
        {"GetItem", "", "SerializationException", ""},
        {"GetItem", "{", "SerializationException", ""},
        {"PutItem", R"({"TableName":"ttt","Item":{"a":{"B":"Zg="}}})", "SerializationException",
         "Base64 encoded length is expected a multiple of 4 bytes but found: 3"},
        {"PutItem", R"({"Item":{"a":{"B":"Zh=="}}})", "SerializationException",
         "Invalid last non-pad Base64 character dectected"},
        {"BatchGetItem", R"({"RequestItems":{"ttt":{"Keys":["x"]}}})", "SerializationException",
         "ParameterizedTypeImpl cannot be cast to class java.lang.Class"},
        {"GetItem", "null", "SerializationException", ""},
        {"GetItem", R"({"TableName":1,"Key":{}})", "SerializationException",
         "NUMBER_VALUE cannot be converted to String"},
        {"GetItem", R"({"TableName":["t"],"Key":{}})", "SerializationException",
         "Unrecognized collection type class java.lang.String"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":{"S":1}}})", "SerializationException",
         "NUMBER_VALUE cannot be converted to String"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":"x"}})", "SerializationException",
         "Unexpected value type in payload"},
        {"GetItem", R"({"TableName":"ttt","Key":[]})", "SerializationException",
         "Unrecognized collection type java.util.Map<java.lang.String, "
         "com.amazonaws.dynamodb.v20120810.AttributeValue>"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"ConsistentRead":"hi"})", "SerializationException",
         "Unexpected token received from parser"},
        {"GetItem", R"({"Key":{}})", "ValidationException",
         "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be "
         "null"},
        {"GetItem", R"({"TableName":"a;"})", "ValidationException",
         "2 validation errors detected: Value 'a;' at 'tableName' failed to satisfy constraint: Member must satisfy "
         "regular expression pattern: [a-zA-Z0-9_.-]+; Value null at 'key' failed to satisfy constraint: Member must "
         "not be null"},
        {"GetItem", R"({"TableName":"","Key":{}})", "ValidationException",
         "1 validation error detected: Value '' at 'tableName' failed to satisfy constraint: Member must have length "
         "greater than or equal to 1"},
        {"Query", R"({"TableName":"ttt","IndexName":""})", "ValidationException",
         "2 validation errors detected: Value '' at 'indexName' failed to satisfy constraint: Member must satisfy "
         "regular expression pattern: [a-zA-Z0-9_.-]+; Value '' at 'indexName' failed to satisfy constraint: Member "
         "must have length greater than or equal to 3"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":{"N":"x"}}})", "ValidationException",
         "The parameter cannot be converted to a numeric value: x"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"AttributesToGet":["a"],"ProjectionExpression":"a"})",
         "ValidationException",
         "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
         "{AttributesToGet} Expression parameters: {ProjectionExpression}"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"AttributesToGet":["a","a"]})", "ValidationException",
         "One or more parameter values were invalid: Duplicate value in attribute name: a"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"ExpressionAttributeNames":{"#a":"a"}})", "ValidationException",
         "ExpressionAttributeNames can only be specified when using expressions"},
        {"GetItem", R"({"TableName":"ttt","Key":{},"ProjectionExpression":"a","ExpressionAttributeNames":{"a":"a"}})",
         "ValidationException", "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\""},
        {"BatchGetItem", R"({"RequestItems":{"bad!":{"Keys":[{"pk":{"S":"a"}}]}},"ReturnConsumedCapacity":"x"})",
         "ValidationException",
         R"(2 validation errors detected: Value '{"bad!":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems' failed to )"
         "satisfy constraint: Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
         "Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: "
         "[a-zA-Z0-9_.-]+]; Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy "
         "enum value set: [INDEXES, TOTAL, NONE]"},
        {"BatchWriteItem",
         R"({"RequestItems":{"bad!":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]},"ReturnConsumedCapacity":"x"})",
         "ValidationException",
         "1 validation error detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: Member must "
         "satisfy enum value set: [INDEXES, TOTAL, NONE]"},
        {"BatchWriteItem", R"({"RequestItems":{"bad!":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}})",
         "ValidationException", "1 validation error detected: Value '{bad!=[WriteRequest("},
        {"Scan", R"({"TableName":"ttt","Limit":-1e30})", "ValidationException",
         "1 validation error detected: Value '-9223372036854775808' at 'limit' failed to satisfy constraint: Member "
         "must have value greater than or equal to 1"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"ExpressionAttributeValues":{":a":{"S":"a"}}})",
         "ValidationException",
         "ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"ConditionExpression":"a","ExpressionAttributeValues":{":b":{}}})",
         "ValidationException",
         "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one "
         "of the supported datatypes for key :b"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"ReturnValues":"all"})", "ValidationException",
         "Value 'all' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, "
         "UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"},
        {"PutItem", R"({"TableName":"ttt","Item":{"s":{"NS":[]}}})", "ValidationException",
         "An number set  may not be empty"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"Expected":{"a":{}}})", "ValidationException",
         "Value must be provided when Exists is null for Attribute: a"},
        {"UpdateItem", R"({"TableName":"ttt","Key":{},"AttributeUpdates":{"a":{"Action":"PUT"}}})",
         "ValidationException", "Only DELETE action is allowed when no attribute value is specified"},
        {"Query", R"({"TableName":"ttt","KeyConditionExpression":"x","Limit":0})", "ValidationException",
         "Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
        {"Query", R"({"TableName":"ttt","KeyConditionExpression":"x","Limit":"1"})", "SerializationException",
         "STRING_VALUE cannot be converted to Integer"},
        {"Query", R"({"TableName":"ttt","KeyConditions":{}})", "ValidationException",
         "Conditions can be of length 1 or 2 only"},
        {"CreateTable",
         R"({"TableName":"ttt","AttributeDefinitions":[],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},)"
         R"({"AttributeName":"b","KeyType":"RANGE"},{"AttributeName":"c","KeyType":"RANGE"}]})",
         "ValidationException",
         "Value '[KeySchemaElement(attributeName=a, keyType=HASH), KeySchemaElement(attributeName=b, keyType=RANGE), "
         "KeySchemaElement(attributeName=c, keyType=RANGE)]' at 'keySchema'"},
        {"CreateTable", R"({"TableName":"tt"})", "ValidationException", "Value 'tt' at 'tableName'"},
        {"ListTagsOfResource", "{}", "ValidationException", "Invalid TableArn"},
        {"ListTagsOfResource", R"({"ResourceArn":"a:b"})", "AccessDeniedException",
         "is not authorized to perform: dynamodb:ListTagsOfResource on resource: a:b"},
        {"Query", R"({"TableName":"ttt","ExclusiveStartKey":{"a":{}}})", "ValidationException",
         "The provided starting key is invalid: Supplied AttributeValue is empty"},
        {"PutItem", R"({"TableName":"ttt","Item":{"a":{"S":"x","N":""}}})", "ValidationException",
         "The parameter cannot be converted to a numeric value"},
        {"BatchWriteItem", R"({"RequestItems":{"ttt":[]}})", "ValidationException",
         "Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have "
         "length greater than or equal to 1]"},
        {"TransactWriteItems", R"({"TransactItems":[{}]})", "ValidationException",
         "TransactItems can only contain one of Check, Put, Update or Delete"},
        {"Query", R"({"TableName":"ttt","KeyConditions":{"pk":null}})", "ValidationException",
         "Value null at 'keyConditions.pk.member' failed to satisfy constraint: Member must not be null"},
        {"PutItem", R"({"TableName":"ttt","Item":{},"Expected":{"a":null}})", "ValidationException",
         "Value null at 'expected.a.member'"},
        {"UpdateItem", R"({"TableName":"ttt","Key":{},"AttributeUpdates":{"a":null}})", "ValidationException",
         "Value null at 'attributeUpdates.a.member'"},
        {"BatchGetItem", R"({"RequestItems":{"ttt":null}})", "ValidationException",
         "Value null at 'requestItems.ttt.member'"},
        {"BatchWriteItem", R"({"RequestItems":{"ttt":[null]}})", "ValidationException", "Member must not be null"},
        {"BatchWriteItem", R"({"RequestItems":{"ttt":null}})", "ValidationException", "Map value must satisfy"},
        {"GetItem", R"({"TableName":"ttt","Key":{"pk":null}})", "SerializationException", "expected an object"},
        {"UpdateTable", R"({"TableName":"ttt","GlobalSecondaryIndexUpdates":[null]})", "ValidationException",
         "Value null at 'globalSecondaryIndexUpdates.1.member'"},
        {"TransactWriteItems", R"({"TransactItems":[{"Put":{"TableName":"ttt"}}]})", "ValidationException",
         "Value null at 'transactItems.1.member.put.item' failed to satisfy constraint: Member must not be null"},
        {"DescribeTable", "{}", "ValidationException",
         "The parameter 'TableName' is required but was not present in the request"},
        {"DescribeTable", R"({"TableName":"ab"})", "ValidationException",
         "TableName must be at least 3 characters long and at most 255 characters long"},
        {"GetItems", "{}", "UnknownOperationException", ""},
        {"", "{}", "UnknownOperationException", ""},
    }));
    INFO(operation << " " << body);
    const auto request = codec::decode_request(operation, body);
    REQUIRE(request.has_error());
    const auto answer = codec::encode_error(request.error());
    CHECK(answer.status == 400);
    CHECK(codec::decode_error(answer.status, answer.body).exception == name);
    CHECK_THAT(request.error().details.message, Catch::Contains(message));
}

TEST_CASE("a parameter that an operation does not have is ignored, whatever it is") {
    const auto older = GENERATE(as<std::string>{}, R"(["n"])", "7", R"("n")", R"({"n":1})", "[7]");
    const auto request = codec::decode_request(
        "TransactGetItems",
        R"({"TransactItems":[{"Get":{"TableName":"ttt","Key":{"pk":{"S":"k"}},"AttributesToGet":)" + older + "}}]}");
    REQUIRE(request.has_value());
    CHECK(std::get<transact_get_items_request>(*request).gets.at(0).projection_expression.empty());
}

}  // namespace dynalease
